// expect: syntax
import.meta.url;
