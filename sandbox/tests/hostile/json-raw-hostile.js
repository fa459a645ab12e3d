// expect: ok, thrown
if (!JSON.rawJSON) return 'none';
for (const text of ['{}', '"x"', '1e1000', '', ' 1', '\n', 'undefined']) { try { const raw = JSON.rawJSON(text); console.log(raw, JSON.stringify([raw, Object.assign(Object.create(null), raw)])); } catch (error) { console.log(error.name); } }
