// Names NaN and infinities as strings, because JSON would turn them into null.
return(JSON.stringify(await score($answer, $expected, $metadata),
  (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value)) ?? "");
