//! Two steps of the engine in machine code, and nothing else: pages of GetRecords in CBOR to records (`page`), and records
//! to rows (`rows`). Each takes what it knows exactly and leaves the rest to Python, whose rows, rejects and reasons are the
//! only ones there are: `tests/native` holds both equal.

use pyo3::prelude::*;

mod cbor;
mod json;
mod moment;
mod page;
mod rows;

#[pymodule]
fn firnline_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<rows::PlainRows>()?;
    module.add_function(wrap_pyfunction!(page::decode_page, module)?)?;
    module.add_function(wrap_pyfunction!(page::decode_value, module)?)
}
