// expect: syntax
import fs from 'fs';
