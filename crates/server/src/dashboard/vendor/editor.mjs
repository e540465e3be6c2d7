// The editor of a page's content: what `dashboard.js` needs of CodeMirror, as one file.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { insertNewlineContinueMarkup, deleteMarkupBackward, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Colours are in the style sheet: this only names what it marks.
const marks = HighlightStyle.define([
  { tag: tags.heading, class: "cm-heading" },
  { tag: tags.strong, class: "cm-strong" },
  { tag: tags.emphasis, class: "cm-emphasis" },
  { tag: tags.strikethrough, class: "cm-strike" },
  { tag: [tags.link, tags.url], class: "cm-link" },
  { tag: tags.monospace, class: "cm-code" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], class: "cm-markup" },
  { tag: tags.quote, class: "cm-quote" },
]);

// Puts an editor where `parent` is. `onChange` gets the whole text after each change, `onFiles` the files that were
// pasted or dropped, with the position.
export function edit({ parent, text, label, describedBy, nonce, onChange, onFiles }) {
  const files = (event, transfer, view) => {
    const found = [...(transfer?.files ?? [])];
    if (!found.length) return false;
    event.preventDefault();
    const at = event.type === "drop" ? view.posAtCoords({ x: event.clientX, y: event.clientY }) : null;
    onFiles(found, at ?? view.state.selection.main.head);
    return true;
  };
  const attributes = { "aria-label": label, spellcheck: "true", autocapitalize: "sentences", dir: "auto" };
  if (describedBy) attributes["aria-describedby"] = describedBy;
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        history(),
        drawSelection(),
        search({ top: true }),
        highlightSelectionMatches(),
        EditorView.lineWrapping,
        markdownLanguage,
        syntaxHighlighting(marks),
        EditorView.contentAttributes.of(attributes),
        // Tab moves on to the next field: the editor is no trap for the keyboard.
        keymap.of([
          { key: "Enter", run: insertNewlineContinueMarkup },
          { key: "Backspace", run: deleteMarkupBackward },
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
        ]),
        EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
        EditorView.domEventHandlers({
          paste: (event, view) => files(event, event.clipboardData, view),
          drop: (event, view) => files(event, event.dataTransfer, view),
        }),
      ],
    }),
  });
}
