// Notes how much the agents have read of tools, and keeps a customer's name back.
let read = 0;

function before_tool_result({ content }) {
  read += content.length;
  console.log(`${read} characters so far`); // a note in the trajectory
  return { content: content.replaceAll("Ada Lovelace", "[customer]") };
}
