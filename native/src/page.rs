//! An answer of GetRecords, or any other answer, from CBOR.

use crate::cbor::{Malformed, Read, Reader, ARRAY, BYTES, DEEPEST, MAP, NEGATIVE, SIMPLE, TAG, TEXT, UNSIGNED};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyList, PyString};

/// The fields of an answer of GetRecords: `Records` as a list of `record` (called with number, data, key, arrival in seconds),
/// every other field as Python has it. Records and each record's number are required. Raises ValueError.
#[pyfunction]
pub fn decode_page<'py>(py: Python<'py>, body: &[u8], record: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let (mut reader, page) = (Reader::new(body), PyDict::new(py));
    let mut left = said(reader.container(MAP, "something else where an answer is expected"))?;
    let mut has_records = false;
    while said(reader.goes_on(&mut left))? {
        let name = said(reader.text())?;
        if name == "Records" {
            page.set_item(intern!(py, "Records"), records(&mut reader, record)?)?;
            has_records = true;
        } else {
            page.set_item(name, value(py, &mut reader, 1)?)?;
        }
    }
    said(reader.end())?;
    if has_records { Ok(page) } else { Err(PyValueError::new_err("it has no Records")) }
}

/// Any answer, as Python has it: maps as dicts of texts. Raises ValueError.
#[pyfunction]
pub fn decode_value<'py>(py: Python<'py>, body: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let mut reader = Reader::new(body);
    let whole = value(py, &mut reader, 0)?;
    said(reader.end())?;
    Ok(whole)
}

fn said<T>(read: Read<T>) -> PyResult<T> {
    read.map_err(|Malformed(what, at)| PyValueError::new_err(format!("{what} (byte {at})")))
}

fn records<'py>(reader: &mut Reader<'_>, record: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(record.py());
    let mut left = said(reader.container(ARRAY, "something else where records are expected"))?;
    while said(reader.goes_on(&mut left))? {
        list.append(one_record(reader, record)?)?;
    }
    Ok(list)
}

fn one_record<'py>(reader: &mut Reader<'_>, record: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = record.py();
    let (mut number, mut data, mut key, mut arrival) = (None, None, None, None);
    let mut left = said(reader.container(MAP, "something else where a record is expected"))?;
    while said(reader.goes_on(&mut left))? {
        match &*said(reader.text())? {
            "SequenceNumber" => number = Some(PyString::new(py, &said(reader.text())?)),
            "Data" => data = Some(content(py, reader)?),
            "PartitionKey" => key = Some(PyString::new(py, &said(reader.text())?)),
            "ApproximateArrivalTimestamp" => arrival = said(seconds(reader))?,
            _ => said(reader.skip(2))?,
        }
    }
    let Some(number) = number else {
        return said(reader.fault("a record without its SequenceNumber"));
    };
    let data = data.unwrap_or_else(|| PyBytes::new(py, b""));
    let key = key.unwrap_or_else(|| PyString::new(py, ""));
    record.call1((number, data, key, arrival))
}

/// Bytes; or base64 in a text, which kinesis-mock and kinesalite write and the SDKs for Java read.
fn content<'py>(py: Python<'py>, reader: &mut Reader<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let head = said(reader.head())?;
    if head.major == TEXT {
        let options = [(intern!(py, "strict_mode"), true)].into_py_dict(py)?;
        let text = said(reader.text_of(head))?;
        let decoded = py.import("binascii")?.call_method("a2b_base64", (text,), Some(&options))?;
        return Ok(decoded.cast_into::<PyBytes>()?);
    }
    Ok(PyBytes::new(py, &said(reader.bytes_of(head))?))
}

/// A whole number counts milliseconds, as AWS's SDKs for Java read and write it; any other counts seconds, as CBOR has it.
fn seconds(reader: &mut Reader<'_>) -> Read<Option<f64>> {
    let mut head = reader.head()?;
    if head.major == TAG {
        head = reader.head()?;
    }
    match (head.major, head.value, head.float()) {
        (UNSIGNED, Some(ms), _) => Ok(Some(ms as f64 / 1000.0)),
        (_, _, Some(seconds)) if seconds.is_finite() => Ok(Some(seconds)),
        _ if head.is_nothing() => Ok(None),
        _ => reader.fault("something else where a time is expected"),
    }
}

fn value<'py>(py: Python<'py>, reader: &mut Reader<'_>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    if depth > DEEPEST {
        return said(reader.fault("items that are nested too deep"));
    }
    let head = said(reader.head())?;
    let number = head.value.unwrap_or_default();
    match head.major {
        UNSIGNED => Ok(number.into_pyobject(py)?.into_any()),
        NEGATIVE => Ok((-1 - i128::from(number)).into_pyobject(py)?.into_any()),
        BYTES => Ok(PyBytes::new(py, &said(reader.content(head))?).into_any()),
        TEXT => Ok(PyString::new(py, &said(reader.text_of(head))?).into_any()),
        ARRAY => {
            let (list, mut left) = (PyList::empty(py), head.value);
            while said(reader.goes_on(&mut left))? {
                list.append(value(py, reader, depth + 1)?)?;
            }
            Ok(list.into_any())
        }
        MAP => {
            let (map, mut left) = (PyDict::new(py), head.value);
            while said(reader.goes_on(&mut left))? {
                let name = said(reader.text())?;
                map.set_item(name, value(py, reader, depth + 1)?)?;
            }
            Ok(map.into_any())
        }
        TAG => value(py, reader, depth + 1),
        _ => match (head.major, head.info, head.float()) {
            (_, _, Some(float)) => Ok(float.into_pyobject(py)?.into_any()),
            (SIMPLE, 20 | 21, _) => Ok((head.info == 21).into_pyobject(py)?.to_owned().into_any()),
            _ if head.is_nothing() => Ok(py.None().into_bound(py)),
            _ => said(reader.fault("a value of an unknown kind")),
        },
    }
}
