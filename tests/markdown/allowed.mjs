// Texts that deliberately render differently than with cmark-gfm: in how many lines of the outlines, and why. A text that
// differs in more or fewer lines is reported.

export const ALLOWED = {
  '@asamuzakjp+generational-cache.md': {
    lines: 14,
    reason: 'a formula: cmark-gfm leaves `$…$` to GitHub',
  },
  'type-fest.md': {
    lines: 36,
    reason: 'code indented by a tab in a list: cmark-gfm leaves a column of the tab in the code, CommonMark takes it off',
  },
};
