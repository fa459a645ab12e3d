// line 3, column 5
module.exports = {
  run( {
