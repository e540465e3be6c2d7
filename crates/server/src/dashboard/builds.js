// Shows how a build goes on, while one is queued or running. Without this script the page loads itself again.
const state = document.getElementById("state");
const lists = document.getElementById("lists");

if (lists.dataset.events) {
  const events = new EventSource(lists.dataset.events);
  let shown = "";
  events.onmessage = ({ data }) => {
    const now = JSON.parse(data);
    if (data !== shown) {
      shown = data;
      state.textContent = now.state;
      // Rendered by the server from the same template as the page.
      lists.innerHTML = now.lists;
    }
    if (!now.open) events.close();
  };
}
