//! As much of CBOR (RFC 8949) as answers of AWS are written in: items of every major type, of a given or an open length.

use std::borrow::Cow;

pub const DEEPEST: usize = 64;

/// What is wrong, and at which byte.
#[derive(Debug)]
pub struct Malformed(pub &'static str, pub usize);

pub type Read<T> = Result<T, Malformed>;

/// Majors, by their numbers in the RFC.
pub const UNSIGNED: u8 = 0;
pub const NEGATIVE: u8 = 1;
pub const BYTES: u8 = 2;
pub const TEXT: u8 = 3;
pub const ARRAY: u8 = 4;
pub const MAP: u8 = 5;
pub const TAG: u8 = 6;
pub const SIMPLE: u8 = 7;

const NULL: u64 = 22;
const UNDEFINED: u64 = 23;
const BREAK: u8 = 0xff;

/// The start of an item. `value` is its number, its length or its bits; None where its length is open.
#[derive(Clone, Copy)]
pub struct Head {
    pub major: u8,
    pub info: u8,
    pub value: Option<u64>,
}

impl Head {
    /// True for null and undefined.
    pub fn is_nothing(&self) -> bool {
        self.major == SIMPLE && self.info < 24 && matches!(self.value, Some(NULL | UNDEFINED))
    }

    pub fn float(&self) -> Option<f64> {
        let bits = self.value?;
        match (self.major, self.info) {
            (SIMPLE, 25) => Some(half(bits as u16)),
            (SIMPLE, 26) => Some(f64::from(f32::from_bits(bits as u32))),
            (SIMPLE, 27) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }
}

fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (mantissa + 1024.0) * 2f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

pub struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Reader { data, at: 0 }
    }

    pub fn fault<T>(&self, what: &'static str) -> Read<T> {
        Err(Malformed(what, self.at))
    }

    /// Nothing may stand behind the last item.
    pub fn end(&self) -> Read<()> {
        if self.at == self.data.len() { Ok(()) } else { self.fault("more bytes than the answer has") }
    }

    pub fn head(&mut self) -> Read<Head> {
        let first = self.byte()?;
        let (major, info) = (first >> 5, first & 31);
        let value = match info {
            0..=23 => Some(u64::from(info)),
            24..=27 => Some(self.number(1 << (info - 24))?),
            31 if (BYTES..=MAP).contains(&major) => None,
            _ => return self.fault("a byte that begins no item"),
        };
        Ok(Head { major, info, value })
    }

    /// Whether a container has another item; `left` counts down one whose length was given.
    pub fn goes_on(&mut self, left: &mut Option<u64>) -> Read<bool> {
        match left {
            Some(0) => Ok(false),
            Some(count) => {
                *count -= 1;
                Ok(true)
            }
            None if self.data.get(self.at) == Some(&BREAK) => {
                self.at += 1;
                Ok(false)
            }
            None => Ok(true),
        }
    }

    /// How many items a map or an array has.
    pub fn container(&mut self, major: u8, what: &'static str) -> Read<Option<u64>> {
        let head = self.head()?;
        if head.major == major { Ok(head.value) } else { self.fault(what) }
    }

    pub fn text(&mut self) -> Read<Cow<'a, str>> {
        let head = self.head()?;
        self.text_of(head)
    }

    pub fn text_of(&mut self, head: Head) -> Read<Cow<'a, str>> {
        if head.major != TEXT {
            return self.fault("something else where a text is expected");
        }
        let utf8 = match self.content(head)? {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed).ok(),
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).ok(),
        };
        utf8.map_or_else(|| self.fault("a text that is not UTF-8"), Ok)
    }

    pub fn bytes_of(&mut self, head: Head) -> Read<Cow<'a, [u8]>> {
        if head.major == BYTES { self.content(head) } else { self.fault("something else where bytes are expected") }
    }

    pub fn content(&mut self, head: Head) -> Read<Cow<'a, [u8]>> {
        if let Some(size) = head.value {
            return self.take(size).map(Cow::Borrowed);
        }
        let (mut whole, mut open) = (Vec::new(), None);
        while self.goes_on(&mut open)? {
            let piece = self.head()?;
            match piece.value {
                Some(size) if piece.major == head.major => whole.extend_from_slice(self.take(size)?),
                _ => return self.fault("a piece of another kind"),
            }
        }
        Ok(Cow::Owned(whole))
    }

    pub fn skip(&mut self, depth: usize) -> Read<()> {
        let head = self.head()?;
        self.skip_rest(head, depth)
    }

    fn skip_rest(&mut self, head: Head, depth: usize) -> Read<()> {
        if depth > DEEPEST {
            return self.fault("items that are nested too deep");
        }
        match head.major {
            BYTES | TEXT => self.content(head).map(drop),
            ARRAY | MAP => {
                let mut left = head.value;
                while self.goes_on(&mut left)? {
                    self.skip(depth + 1)?;
                    if head.major == MAP {
                        self.skip(depth + 1)?;
                    }
                }
                Ok(())
            }
            TAG => self.skip(depth + 1),
            _ => Ok(()),
        }
    }

    fn byte(&mut self) -> Read<u8> {
        let Some(byte) = self.data.get(self.at) else {
            return self.fault("it is cut short");
        };
        self.at += 1;
        Ok(*byte)
    }

    fn number(&mut self, size: u64) -> Read<u64> {
        Ok(self.take(size)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn take(&mut self, size: u64) -> Read<&'a [u8]> {
        let rest = &self.data[self.at..];
        match usize::try_from(size) {
            Ok(size) if size <= rest.len() => {
                self.at += size;
                Ok(&rest[..size])
            }
            _ => self.fault("it is cut short"),
        }
    }
}
