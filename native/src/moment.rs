//! When a record arrived, as a row says it: ISO 8601 with milliseconds, in quotes.

/// The last second of the year 9999, which is the last that Python's datetime knows.
const LATEST_S: u64 = 253_402_300_799;

/// Renders the second that was asked for last only once: records come in order.
pub struct Moments {
    second: Option<u64>,
    text: Vec<u8>,
}

impl Moments {
    pub fn new() -> Self {
        Moments { second: None, text: Vec::new() }
    }

    /// Appends the moment; false where Python has to render it, and then nothing is appended. Rounds as Python's `round`.
    pub fn put(&mut self, row: &mut Vec<u8>, seconds: f64) -> bool {
        let ms = (seconds * 1000.0).round_ties_even();
        if !(0.0..=(LATEST_S * 1000) as f64).contains(&ms) {
            return false;
        }
        let (second, rest) = (ms as u64 / 1000, ms as u64 % 1000);
        if self.second != Some(second) {
            let (days, of_day) = (second / 86400, second % 86400);
            let (year, month, day) = civil(days);
            let (hour, minute, second_of) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
            let text = format!("\"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second_of:02}.");
            self.text = text.into_bytes();
            self.second = Some(second);
        }
        row.extend_from_slice(&self.text);
        row.extend([rest / 100, rest / 10 % 10, rest % 10].map(|digit| b'0' + digit as u8));
        row.extend_from_slice(b"Z\"");
        true
    }
}

/// Year, month and day of a day since 1970, by Howard Hinnant's `civil_from_days`.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}
