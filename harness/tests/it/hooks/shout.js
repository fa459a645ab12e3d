// Converts tool results to upper case, and counts messages.
let seen = 0;

function before_message({ message }) {
  seen += 1;
  console.log(`message ${seen} of the ${message.role}`);
}

const before_tool_result = async ({ content }) => ({ content: content.toUpperCase() });

function after_response({ text }) {
  if (text.includes("fail")) {
    throw new Error("a model must not fail");
  }
}
