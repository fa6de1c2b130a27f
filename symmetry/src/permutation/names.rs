//! Permutations in the names of the model: `(c1 c2)(s1 s2) lb1.scs +1`.

use frontend::model::{Model, RebecId};

use super::{ModelPermutation, Points, rebecs};

impl ModelPermutation {
    /// The cycles of rebecs of length two and more, each from its first rebec in `main`.
    pub fn cycles(&self) -> Vec<Vec<RebecId>> {
        engine::cycles(self.images.len(), |at| self.images[at].index(), RebecId::from_index)
    }

    /// The cycles of elements, parameters, servers and their values, in names of the model, without those that only follow their rebecs;
    /// none if rotations suffice.
    pub fn data_cycles(&self, model: &Model) -> Vec<Vec<String>> {
        if self.is_rotation() {
            return Vec::new();
        }
        Points::covering(model, std::slice::from_ref(self)).data_cycles(model, self)
    }

    /// The cycles of rebecs, then the rotations as `rebec.set +amount`, where the rebec is the one that values come from, then the cycles
    /// of elements, values and servers without those that only follow their rebecs; `()` for the identity.
    pub fn text(&self, model: &Model) -> String {
        let names = |cycle: &Vec<RebecId>| cycle.iter().map(|&id| model.rebec_name(id)).collect::<Vec<_>>().join(" ");
        let cycles: String = self.cycles().iter().map(|cycle| format!("({})", names(cycle))).collect();
        let rotations = rebecs(model).flat_map(|rebec| {
            self.rotated(rebec).map(move |set| {
                let amount = self.rotation(rebec, set);
                format!("{}.{} +{amount}", model.rebec_name(rebec), model.scalar_set(set).name)
            })
        });
        let data: String = self.data_cycles(model).iter().map(|cycle| format!("({})", cycle.join(" "))).collect();
        let cycles = Some(cycles).into_iter();
        let parts: Vec<String> = cycles.chain(rotations).chain([data]).filter(|text| !text.is_empty()).collect();
        if parts.is_empty() { "()".to_owned() } else { parts.join(" ") }
    }
}
