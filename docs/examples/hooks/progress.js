// Counts the characters of all tool results, and hides a customer's name.
let read = 0;

function before_tool_result({ content }) {
  read += content.length;
  console.log(`${read} characters so far`); // a note in the trajectory
  return { content: content.replaceAll("Ada Lovelace", "[customer]") };
}
