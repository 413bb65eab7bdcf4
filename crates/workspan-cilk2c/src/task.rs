//! Where a task begins: after the arguments of its call are known, as far as tokens tell.

use std::ops::Range;

use super::elision::{Elision, FrameId, Language};
use super::expression;
use super::text;

impl Elision<'_> {
    /// The text before the statement that task `number` runs; arguments of its call that call something are taken out
    /// of it. `keyword` is the place of the spawn, `call` what is spawned.
    pub(super) fn task_begin(
        &mut self,
        number: usize,
        keyword: usize,
        call: Range<usize>,
        frame: FrameId,
    ) -> String {
        let frame_number = self.use_frame(frame);
        let place = &self.source.token(keyword).place;
        let spawn = text::spawn(number, frame_number, place, self.function_of(frame));
        let later = text::spawn_later(number, frame_number, place, self.function_of(frame));
        let moved = match expression::arguments_of_call(self.source, call.clone()) {
            Some(open) => expression::arguments_with_calls(self.source, open),
            None => Vec::new(),
        };
        if moved.is_empty() {
            return spawn;
        }
        match self.language {
            Language::C => self.named_arguments(number, &moved) + &spawn,
            Language::Cpp => {
                self.call_with_arguments(number, call, &moved);
                later
            }
        }
    }

    /// C: variables for the arguments.
    fn named_arguments(&mut self, number: usize, moved: &[Range<usize>]) -> String {
        let mut variables = String::new();
        for (index, argument) in moved.iter().enumerate() {
            let (name, bytes) = (text::argument(number, index), self.bytes(argument));
            let value = self.source.text(&bytes);
            variables += &format!("__extension__ __auto_type {name} = {value}; ");
            self.edits.replace(bytes, name);
        }
        variables
    }

    /// C++: the call becomes a lambda's, which gets the arguments; so what these hold lives as long as before.
    fn call_with_arguments(&mut self, number: usize, call: Range<usize>, moved: &[Range<usize>]) {
        let bytes = self.bytes(&call);
        let mut parameters = Vec::new();
        let mut values = String::new();
        for (index, argument) in moved.iter().enumerate() {
            let (name, bytes) = (text::argument(number, index), self.bytes(argument));
            values += &format!(", {}", self.source.text(&bytes));
            parameters.push(format!("auto&& {name}"));
            self.edits
                .replace(bytes, format!("static_cast<decltype({name})&&>({name})"));
        }
        let parameters = parameters.join(", ");
        self.edits.insert(
            bytes.start,
            format!(
                "workspan_cilk_call({}, [&]({parameters}) -> decltype(auto) {{ return ",
                text::task_name(number)
            ),
        );
        self.edits.insert(bytes.end, format!("; }}{values})"));
    }

    fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        self.source.token(tokens.start).start..self.source.token(tokens.end - 1).end
    }
}
