// atob and btoa.
(internals) => {
  'use strict';

  const { DOMException, missing } = internals.exceptions;
  const reasons = [, 'Invalid character', 'The string to be decoded is not correctly encoded.'];
  const refused = (reason) => new DOMException(reasons[reason], 'InvalidCharacterError');

  function atob(input) {
    if (arguments.length === 0) throw missing('input');
    const text = internals.atob(`${input}`);
    if (typeof text === 'number') throw refused(text);
    return text;
  }

  function btoa(input) {
    if (arguments.length === 0) throw missing('input');
    const text = internals.btoa(`${input}`);
    if (text === null) throw refused(1);
    return text;
  }

  internals.globals.atob = atob;
  internals.globals.btoa = btoa;
};
