//! Pseudorandom numbers for the lengths of attempts, identical each time the program runs.

/// The 64-bit xorshift generator by G. Marsaglia (2003). The state must not be 0.
pub struct Random(pub u64);

impl Random {
    /// Returns a uniform random number above 0 and below 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Returns a standard normal random number (G. Box and M. Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// Returns a log-normal random number with median 1. `sigma` is the standard deviation of its
    /// natural logarithm.
    pub fn log_normal(&mut self, sigma: f64) -> f64 {
        (sigma * self.normal()).exp()
    }
}
