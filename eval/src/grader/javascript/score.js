// JSON has no word for NaN and the infinities: they are named, as null would say something else.
return(JSON.stringify(await score($answer, $expected, $metadata),
  (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value)) ?? "");
