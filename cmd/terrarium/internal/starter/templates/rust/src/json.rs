//! As much of JSON as the wire needs: the fields of an object, and quoted text.
//! https://www.rfc-editor.org/rfc/rfc8259

use std::{iter::Peekable, str::Chars};

/// What a field holds, if it is text or a number. Nobody asks for the others.
#[derive(Debug, PartialEq)]
pub enum Value {
    Text(String),
    Number(f64),
    Other,
}

/// How deep lists and objects may be in each other.
const MAX_DEPTH: usize = 64;

/// Returns the fields of the object that a text is.
pub fn object(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut reader = Reader { chars: text.chars().peekable() };
    let mut fields = Vec::new();
    reader.blanks();
    reader.fields(0, |name, value| fields.push((name, value)))?;
    reader.blanks();
    match reader.chars.next() {
        None => Ok(fields),
        Some(c) => Err(format!("{c:?} after the object")),
    }
}

/// Returns a text as JSON has it.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        while self.chars.next_if(|c| matches!(c, ' ' | '\t' | '\r' | '\n')).is_some() {}
    }

    fn expect(&mut self, want: char) -> Result<(), String> {
        match self.chars.next() {
            Some(c) if c == want => Ok(()),
            Some(c) => Err(format!("{c:?} where {want:?} should be")),
            None => Err(format!("the end where {want:?} should be")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        match self.chars.peek() {
            Some('"') => self.text().map(Value::Text),
            Some('{') => self.fields(depth, |_, _| ()).map(|()| Value::Other),
            Some('[') => self.list(depth).map(|()| Value::Other),
            _ => self.word(),
        }
    }

    fn fields(&mut self, depth: usize, mut each: impl FnMut(String, Value)) -> Result<(), String> {
        self.items('{', '}', depth, &mut |reader| {
            let name = reader.text()?;
            reader.blanks();
            reader.expect(':')?;
            reader.blanks();
            each(name, reader.value(depth + 1)?);
            Ok(())
        })
    }

    fn list(&mut self, depth: usize) -> Result<(), String> {
        self.items('[', ']', depth, &mut |reader| reader.value(depth + 1).map(|_| ()))
    }

    /// Reads what stands between two brackets, with commas between the items.
    fn items(
        &mut self,
        open: char,
        shut: char,
        depth: usize,
        item: &mut dyn FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        if depth >= MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} deep"));
        }
        self.expect(open)?;
        self.blanks();
        if self.chars.next_if_eq(&shut).is_some() {
            return Ok(());
        }
        loop {
            item(self)?;
            self.blanks();
            if self.chars.next_if_eq(&shut).is_some() {
                return Ok(());
            }
            self.expect(',')?;
            self.blanks();
        }
    }

    /// Reads a number, or true, false or null.
    fn word(&mut self) -> Result<Value, String> {
        let mut word = String::new();
        while let Some(c) = self.chars.next_if(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c)) {
            word.push(c);
        }
        match word.as_str() {
            "true" | "false" | "null" => Ok(Value::Other),
            _ if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                word.parse().map(Value::Number).map_err(|_| format!("{word:?} is no number"))
            }
            _ => Err(format!("{word:?} where a value should be")),
        }
    }

    fn text(&mut self) -> Result<String, String> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.chars.next() {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(c) if c >= ' ' => text.push(c),
                _ => return Err("a text without an end".into()),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        match self.chars.next() {
            Some('b') => Ok('\u{8}'),
            Some('f') => Ok('\u{c}'),
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some('u') => self.unicode(),
            Some(c @ ('"' | '\\' | '/')) => Ok(c),
            _ => Err("no such escape".into()),
        }
    }

    /// Reads four digits, or two times four for what is beyond them. A half without the other is
    /// U+FFFD.
    fn unicode(&mut self) -> Result<char, String> {
        let first = self.digits()?;
        let mut ahead = self.chars.clone();
        if !(0xd800..0xdc00).contains(&first) || ahead.next() != Some('\\') || ahead.next() != Some('u') {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let behind = Reader { chars: ahead.clone() }.digits()?;
        if !(0xdc00..0xe000).contains(&behind) {
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        self.chars = ahead;
        self.digits()?;
        let both = 0x10000 + ((first - 0xd800) << 10) + (behind - 0xdc00);
        Ok(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn digits(&mut self) -> Result<u32, String> {
        let mut n = 0;
        for _ in 0..4 {
            let digit = self.chars.next().and_then(|c| c.to_digit(16)).ok_or("want four hex digits")?;
            n = n * 16 + digit;
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_an_object_has() {
        let text = r#" {"a": "\"\\\/\n\u00e9\ud83d\ude00\ud83d!", "b" :-1.5e1, "c": [true, {"d": []}], "e": null} "#;
        let want = vec![
            ("a".into(), Value::Text("\"\\/\né😀\u{fffd}!".into())),
            ("b".into(), Value::Number(-15.0)),
            ("c".into(), Value::Other),
            ("e".into(), Value::Other),
        ];
        assert_eq!(object(text), Ok(want));
        assert_eq!(object("{}"), Ok(vec![]));
    }

    #[test]
    fn refuses_what_is_no_object() {
        let deep = format!(r#"{{"a":{}"#, "[".repeat(100_000));
        for text in ["", "no JSON", "{", "{}}", r#"{"a"}"#, r#"{"a":}"#, r#"{"a":1,}"#, r#"{"a":"\x"}"#, r#"{"a":"b"#, r#"{"a":inf}"#, &deep] {
            assert!(object(text).is_err(), "{:?}", text.get(..20).unwrap_or(text));
        }
    }

    #[test]
    fn quotes_what_it_reads() {
        let text = "a \"b\" \\ \n\t\u{1b}[1m é";
        let line = format!(r#"{{"a":{}}}"#, quote(text));
        assert_eq!(object(&line), Ok(vec![("a".into(), Value::Text(text.into()))]));
    }
}
