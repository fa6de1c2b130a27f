//! Printed text gives the tree back, formatted text keeps its comments and formats to itself.

use super::{files, tree, without_spans};
use crate::diagnostics::Diagnostics;
use crate::murphi::print::{format, print};
use crate::murphi::syntax::parse;

#[test]
fn printed_text_gives_the_tree_back() {
    for path in files("murphi") {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = tree(&text);
        let printed = print(&file);
        assert_eq!(without_spans(&tree(&printed)), without_spans(&file), "{}\n{printed}", path.display());
    }
}

#[test]
fn formatted_text_keeps_comments_and_formats_to_itself() {
    for path in files("murphi") {
        let text = std::fs::read_to_string(&path).unwrap();
        let formatted = format(&text).unwrap();
        let comments = |text: &str| {
            let parsed = parse(text, &mut Diagnostics::new());
            let shown = |span: &crate::source::Span| text[span.range(text.len())].to_owned();
            parsed.comments.iter().map(shown).collect::<Vec<String>>()
        };
        assert_eq!(comments(&formatted), comments(&text), "{}", path.display());
        assert_eq!(format(&formatted).unwrap(), formatted, "{}", path.display());
    }
}

#[test]
fn a_model_is_formatted() {
    let text = "-- Two lights.
const N:2 ; -- how many
type light : scalarset( N ); cell: record on,off:boolean; -- one of them
  end;
var s : array[light] of cell;
/* starts */ startstate for i:light do s[i].on:=false; end; end;

ruleset i:light do

  -- on
  rule \"on\" !s[i].on  -- dark
  ==> var b:boolean begin b:=true; s[i].on:=b&!(s[i].off|b) ; if b then -- lit
   else
   -- dark still
  end
  ; switch b
  -- yes
  case true : clear s[i]; case false: end;
  -- last
  end
end
invariant -(1) - -1 = (2->3) -> (1=2) = (3=4);
-- end";
    let expected = "-- Two lights.
const
  N: 2;  -- how many

type
  light: scalarset(N);
  cell: record
    on, off: boolean;  -- one of them
  end;

var
  s: array [light] of cell;
/* starts */
startstate
begin
  for i: light do
    s[i].on := false;
  end;
end;

ruleset i: light do
  -- on
  rule \"on\"
    !s[i].on  -- dark
  ==>
  var
    b: boolean;
  begin
    b := true;
    s[i].on := b & !(s[i].off | b);
    if b then  -- lit
    else
      -- dark still
    end;
    switch b
    -- yes
    case true:
      clear s[i];
    case false:
    end;
    -- last
  end;
end;

invariant -(1) - -1 = (2 -> 3) -> (1 = 2) = (3 = 4);
-- end
";
    assert_eq!(format(text).unwrap(), expected);
    assert_eq!(format(expected).unwrap(), expected);
}

#[test]
fn a_text_with_errors_is_not_formatted() {
    assert!(format("var x: ;").is_err());
}
