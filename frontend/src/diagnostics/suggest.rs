//! Did-you-mean: the known name closest to an unknown one.
//!
//! Damerau-Levenshtein distance (restricted transpositions), case ignored; a candidate counts when its distance is at
//! most a third of the length of the longer name, and at least 1. Ties go to the candidate that comes first.
//!
//! Complexity: O(candidates x length^2); names longer than 64 characters are never compared.

/// The candidate closest to `name`, if one is close enough.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    if wanted.len() > 64 {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other: Vec<char> = candidate.to_lowercase().chars().collect();
        if other.len() > 64 || candidate == name {
            continue;
        }
        let allowed = (wanted.len().max(other.len()) / 3).max(1);
        let distance = edit_distance(&wanted, &other);
        if distance <= allowed && distance < wanted.len() && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The question whether the closest candidate was meant.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    closest(name, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// Candidates of a hash map, whose order is arbitrary: ties go to the first.
pub fn sorted<'a>(candidates: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    let mut candidates: Vec<&str> = candidates.into_iter().map(String::as_str).collect();
    candidates.sort_unstable();
    candidates
}

fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitution = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substitution.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    let distance = last[b.len()];
    debug_assert!(distance >= a.len().abs_diff(b.len()), "each missing character is an edit");
    debug_assert!(distance <= a.len().max(b.len()), "every character may be replaced");
    distance
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn finds_a_name_that_is_close() {
        assert_eq!(closest("relase", ["request", "release"]), Some("release"));
        assert_eq!(closest("phlL", ["philL", "philR"]), Some("philL"));
        assert_eq!(closest("Request", ["request"]), Some("request"));
    }

    #[test]
    fn refuses_distant_names() {
        assert_eq!(closest("x", ["busy", "requester"]), None);
        assert_eq!(closest("arrive", ["leave", "permit"]), None);
    }
}
