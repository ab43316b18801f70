//! Whether a payload is one JSON object (RFC 8259) on one line, written as most producers write it, and which keys it has.
//!
//! Strict: what is taken here is taken by every parser. What is not plain is not wrong; it is Python's to judge.

const DEEPEST: usize = 64;

pub struct Scan<'a> {
    data: &'a [u8],
    at: usize,
}

/// Not plain.
pub struct Odd;

type Step = Result<(), Odd>;

/// Puts the first-level keys, in their quotes and one behind the other, into `keys`. Plain are objects with at least one
/// key, keys without escapes, and either no blank between the parts of the first level or the one that Python's json puts
/// behind each colon and comma; without line breaks and tabs, in UTF-8.
pub fn plain_keys(data: &[u8], keys: &mut Vec<u8>) -> bool {
    keys.clear();
    data.starts_with(b"{\"") && std::str::from_utf8(data).is_ok() && Scan { data, at: 1 }.first_level(keys).is_ok()
}

impl Scan<'_> {
    fn first_level(&mut self, keys: &mut Vec<u8>) -> Step {
        let mut spaced = None;
        loop {
            let start = self.at;
            if self.peek()? != b'"' || self.string()? {
                return Err(Odd);
            }
            keys.extend_from_slice(&self.data[start..self.at]);
            self.expect(b':')?;
            let blank = self.peek()? == b' ';
            if *spaced.get_or_insert(blank) != blank {
                return Err(Odd);
            }
            self.at += usize::from(blank);
            self.value(1)?;
            match self.next()? {
                b'}' if self.at == self.data.len() => return Ok(()),
                b',' if blank => self.expect(b' ')?,
                b',' => (),
                _ => return Err(Odd),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Step {
        match self.peek()? {
            b'"' => self.string().map(drop),
            b'{' | b'[' if depth < DEEPEST => self.container(depth + 1),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn container(&mut self, depth: usize) -> Step {
        let is_object = self.next()? == b'{';
        let end = if is_object { b'}' } else { b']' };
        self.blanks();
        if self.peek()? == end {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.blanks();
            if is_object {
                if self.peek()? != b'"' {
                    return Err(Odd);
                }
                self.string()?;
                self.blanks();
                self.expect(b':')?;
                self.blanks();
            }
            self.value(depth)?;
            self.blanks();
            match self.next()? {
                byte if byte == end => return Ok(()),
                b',' => (),
                _ => return Err(Odd),
            }
        }
    }

    /// Goes behind a string; whether it has escapes.
    fn string(&mut self) -> Result<bool, Odd> {
        let mut has_escapes = false;
        self.at += 1;
        loop {
            self.ordinary();
            match self.next()? {
                b'"' => return Ok(has_escapes),
                b'\\' => {
                    has_escapes = true;
                    self.escape()?;
                }
                0..=0x1f => return Err(Odd),
                _ => (),
            }
        }
    }

    /// Goes to the next quote, backslash or control character, eight bytes at a time; it may stop before.
    fn ordinary(&mut self) {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const HIGHS: u64 = 0x8080_8080_8080_8080;
        while let Some(eight) = self.data.get(self.at..self.at + 8) {
            let word = u64::from_le_bytes(eight.try_into().expect("it is eight bytes"));
            let (quote, slash) = (word ^ ONES * 0x22, word ^ ONES * 0x5c);
            let found = (quote.wrapping_sub(ONES) & !quote)
                | (slash.wrapping_sub(ONES) & !slash)
                | (word.wrapping_sub(ONES * 0x20) & !word);
            let found = found & HIGHS;
            if found != 0 {
                self.at += found.trailing_zeros() as usize / 8; // the lowest is never a false one
                return;
            }
            self.at += 8;
        }
    }

    /// What follows a backslash. Half a surrogate pair is left to Python.
    fn escape(&mut self) -> Step {
        match self.next()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(()),
            b'u' => match self.unit()? {
                0xd800..=0xdbff => {
                    self.expect(b'\\')?;
                    self.expect(b'u')?;
                    if (0xdc00..=0xdfff).contains(&self.unit()?) { Ok(()) } else { Err(Odd) }
                }
                0xdc00..=0xdfff => Err(Odd),
                _ => Ok(()),
            },
            _ => Err(Odd),
        }
    }

    fn unit(&mut self) -> Result<u32, Odd> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit << 4 | char::from(self.next()?).to_digit(16).ok_or(Odd)?;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Step {
        self.at += usize::from(self.peek()? == b'-');
        match self.next()? {
            b'0' => (),
            b'1'..=b'9' => self.digits(),
            _ => return Err(Odd),
        }
        if self.is_at(b".") {
            self.at += 1;
            self.some_digits()?;
        }
        if self.is_at(b"eE") {
            self.at += 1;
            self.at += usize::from(self.is_at(b"+-"));
            self.some_digits()?;
        }
        Ok(())
    }

    fn some_digits(&mut self) -> Step {
        let start = self.at;
        self.digits();
        if self.at > start { Ok(()) } else { Err(Odd) }
    }

    fn digits(&mut self) {
        while self.data.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn blanks(&mut self) {
        while self.data.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &[u8]) -> Step {
        let is_it = self.data[self.at..].starts_with(word);
        self.at += word.len();
        if is_it { Ok(()) } else { Err(Odd) }
    }

    fn is_at(&self, any: &[u8]) -> bool {
        self.data.get(self.at).is_some_and(|byte| any.contains(byte))
    }

    fn peek(&self) -> Result<u8, Odd> {
        self.data.get(self.at).copied().ok_or(Odd)
    }

    fn next(&mut self) -> Result<u8, Odd> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(byte)
    }

    fn expect(&mut self, wanted: u8) -> Step {
        if self.next()? == wanted { Ok(()) } else { Err(Odd) }
    }
}
