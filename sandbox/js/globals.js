// Globals that modules have, too.
(internals) => {
  'use strict';
  internals.globals.Buffer = internals.require('buffer').Buffer;
};
