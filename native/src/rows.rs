//! Records to rows: the metadata of each in front of its own bytes, for records like those that Python has judged.

use crate::json::plain_keys;
use crate::moment::Moments;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyList, PyString};
use std::collections::HashMap;

/// The most lists of keys that are remembered, and their bytes: streams whose keys are data would fill the memory otherwise.
const MOST_SHAPES: usize = 4096;
const MOST_BYTES: usize = 1_000_000;
const SUB_SEQUENCE_DIGITS: usize = 20;

/// How many of a row's keys have no column, and how many of those nobody has tried to add.
type Missing = (u64, u64);
/// A piece of a row's head: bytes, then what the record has for the gap behind them (`Gap`'s number; 255 for none).
type Template = Vec<(Vec<u8>, u8)>;

mod gap {
    pub const ARRIVAL: u8 = 0;
    pub const KEY: u8 = 1;
    pub const SEQUENCE: u8 = 2;
    pub const SUB_SEQUENCE: u8 = 3;
    pub const SHARDED: u8 = 4;
    pub const HASH_KEY: u8 = 5;
    pub const PUSHED: u8 = 6;
}

/// Makes the rows of one shard; not for several threads.
#[pyclass]
pub struct PlainRows {
    plain: Template,
    aggregated: Template,
    most: usize,
    shapes: HashMap<Vec<u8>, Missing>,
    shape_bytes: usize,
    moments: Moments,
    keys: Vec<u8>,
    row: Vec<u8>,
}

#[pymethods]
impl PlainRows {
    /// `plain` and `aggregated` are heads in pieces, without the comma behind them; `most` is the longest row.
    #[new]
    fn new(plain: Template, aggregated: Template, most: usize) -> Self {
        PlainRows {
            plain,
            aggregated,
            most,
            shapes: HashMap::new(),
            shape_bytes: 0,
            moments: Moments::new(),
            keys: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Takes a payload that Python has put into a row byte by byte, and what tables lack of its keys: from now on payloads
    /// with the same keys are made rows here. False for one that is not plain.
    fn learn(&mut self, payload: &[u8], unknown: u64, unanswered: u64) -> bool {
        if !plain_keys(payload, &mut self.keys) {
            return false;
        }
        if self.shapes.len() >= MOST_SHAPES || self.shape_bytes + self.keys.len() > MOST_BYTES {
            self.forget();
        }
        if self.shapes.insert(self.keys.clone(), (unknown, unanswered)).is_none() {
            self.shape_bytes += self.keys.len();
        }
        true
    }

    /// Forgets every payload that it learned.
    fn forget(&mut self) {
        self.shapes.clear();
        self.shape_bytes = 0;
    }

    /// The rows of `records` from `start` on, up to the first that Python has to make; and what tables lack of their keys.
    fn make<'py>(
        &mut self,
        records: &Bound<'py, PyList>,
        start: usize,
        pushed: &[u8],
        are_of_aggregates: bool,
    ) -> PyResult<(Bound<'py, PyList>, u64, u64)> {
        let (rows, mut unknown, mut unanswered) = (PyList::empty(records.py()), 0, 0);
        for index in start..records.len() {
            let record = records.get_item(index)?;
            let Some((row, missing)) = self.row_of(&record, pushed, are_of_aggregates)? else {
                break;
            };
            rows.append(row)?;
            unknown += missing.0;
            unanswered += missing.1;
        }
        Ok((rows, unknown, unanswered))
    }
}

impl PlainRows {
    fn row_of<'py>(
        &mut self,
        record: &Bound<'py, PyAny>,
        pushed: &[u8],
        is_of_aggregate: bool,
    ) -> PyResult<Option<(Bound<'py, PyBytes>, Missing)>> {
        let py = record.py();
        let data = record.getattr(intern!(py, "Data"))?;
        let Ok(data) = data.cast_into::<PyBytes>() else {
            return Ok(None);
        };
        let payload = data.as_bytes();
        if payload.len() > self.most || !plain_keys(payload, &mut self.keys) {
            return Ok(None);
        }
        let Some(&missing) = self.shapes.get(&self.keys) else {
            return Ok(None);
        };
        let template = if is_of_aggregate { &self.aggregated } else { &self.plain };
        self.row.clear();
        if !fill(template, &mut self.row, &mut self.moments, record, pushed, is_of_aggregate)? {
            return Ok(None);
        }
        if template.is_empty() {
            return Ok(Some((data, missing)));
        }
        self.row.push(b',');
        let size = self.row.len() + payload.len() - 1;
        if size > self.most {
            return Ok(None);
        }
        let row = PyBytes::new_with(py, size, |place| {
            place[..self.row.len()].copy_from_slice(&self.row);
            place[self.row.len()..].copy_from_slice(&payload[1..]);
            Ok(())
        })?;
        Ok(Some((row, missing)))
    }
}

/// Renders a record's head; false where that is Python's.
fn fill(
    template: &Template,
    row: &mut Vec<u8>,
    moments: &mut Moments,
    record: &Bound<'_, PyAny>,
    pushed: &[u8],
    is_of_aggregate: bool,
) -> PyResult<bool> {
    let py = record.py();
    if is_of_aggregate && !record.getattr(intern!(py, "fault"))?.is_none() {
        return Ok(false);
    }
    for (piece, gap) in template {
        row.extend_from_slice(piece);
        let is_filled = match *gap {
            gap::ARRIVAL => put_arrival(row, moments, &record.getattr(intern!(py, "ApproximateArrivalTimestamp"))?)?,
            gap::KEY => put_text(row, &record.getattr(intern!(py, "PartitionKey"))?),
            gap::SEQUENCE => put_number(row, &record.getattr(intern!(py, "SequenceNumber"))?),
            gap::SUB_SEQUENCE => put_sub_sequence(row, record, 0)?,
            gap::SHARDED => {
                put_number(row, &record.getattr(intern!(py, "SequenceNumber"))?)
                    && put_sub_sequence(row, record, SUB_SEQUENCE_DIGITS)?
            }
            gap::HASH_KEY => {
                let key = record.getattr(intern!(py, "ExplicitHashKey"))?;
                if key.is_none() { put(row, b"null") } else { put_text(row, &key) }
            }
            gap::PUSHED => put(row, pushed),
            _ => true,
        };
        if !is_filled {
            return Ok(false);
        }
    }
    Ok(true)
}

fn put(row: &mut Vec<u8>, bytes: &[u8]) -> bool {
    row.extend_from_slice(bytes);
    true
}

fn put_arrival(row: &mut Vec<u8>, moments: &mut Moments, arrival: &Bound<'_, PyAny>) -> PyResult<bool> {
    if arrival.is_none() {
        return Ok(put(row, b"null"));
    }
    match arrival.cast_exact::<PyFloat>() {
        Ok(seconds) => Ok(moments.put(row, seconds.value())),
        Err(_) => Ok(false),
    }
}

/// A JSON text; false for one that needs an escape, or is not UTF-8.
fn put_text(row: &mut Vec<u8>, text: &Bound<'_, PyAny>) -> bool {
    let Ok(text) = text.cast::<PyString>() else {
        return false;
    };
    let Ok(text) = text.to_str() else {
        return false;
    };
    if text.bytes().any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\' || byte == 0x7f) {
        return false;
    }
    row.push(b'"');
    row.extend_from_slice(text.as_bytes());
    row.push(b'"');
    true
}

fn put_number(row: &mut Vec<u8>, number: &Bound<'_, PyAny>) -> bool {
    let Ok(number) = number.cast::<PyString>() else {
        return false;
    };
    let Ok(digits) = number.to_str() else {
        return false;
    };
    put(row, digits.as_bytes())
}

fn put_sub_sequence(row: &mut Vec<u8>, record: &Bound<'_, PyAny>, digits: usize) -> PyResult<bool> {
    let number = record.getattr(intern!(record.py(), "SubSequenceNumber"))?;
    if number.cast_exact::<PyInt>().is_err() {
        return Ok(false);
    }
    let Ok(number) = number.extract::<u64>() else {
        return Ok(false);
    };
    Ok(put(row, format!("{number:0digits$}").as_bytes()))
}
