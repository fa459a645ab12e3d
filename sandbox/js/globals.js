// Globals that modules also export.
(internals) => {
  'use strict';
  internals.globals.Buffer = internals.require('buffer').Buffer;
};
