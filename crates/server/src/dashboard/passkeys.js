// Registers a passkey, and signs in with one: asks the server for a challenge, the browser for an answer, and sends that as
// a form.
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const ask = async (path) => {
  const response = await fetch(path, { method: "POST" });
  if (!response.ok || response.redirected) throw new Error("The server refused the request. Reload the page and try again.");
  return response.json();
};

const register = async (form) => {
  const { challenge, rpId, user, email, known } = await ask("/dashboard/passkeys/challenge");
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge: toBytes(challenge),
      rp: { id: rpId, name: "Recto" },
      user: { id: toBytes(user), name: email, displayName: email },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: known.map((id) => ({ type: "public-key", id: toBytes(id) })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    },
  });
  form.elements.clientData.value = toText(credential.response.clientDataJSON);
  form.elements.authenticatorData.value = toText(credential.response.getAuthenticatorData());
  form.elements.publicKey.value = toText(credential.response.getPublicKey());
};

const signIn = async (form) => {
  const { challenge, rpId } = await ask("/dashboard/sign-in/challenge");
  const { rawId, response } = await navigator.credentials.get({
    publicKey: { challenge: toBytes(challenge), rpId, userVerification: "required" },
  });
  form.elements.credential.value = toText(rawId);
  form.elements.clientData.value = toText(response.clientDataJSON);
  form.elements.authenticatorData.value = toText(response.authenticatorData);
  form.elements.signature.value = toText(response.signature);
  form.elements.userHandle.value = toText(response.userHandle);
};

for (const [id, work] of [["register", register], ["passkey", signIn]]) {
  const form = document.getElementById(id);
  if (!form || !window.PublicKeyCredential) continue;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = form.querySelector("[role=alert]");
    problem.textContent = "";
    try {
      await work(form);
      form.submit();
    } catch (error) {
      problem.textContent = error.name === "NotAllowedError" ? "Cancelled, or no passkey was found." : error.message;
    }
  });
}
