// expect: syntax
import 'fs';
