/** Pages import this module from `/scripts/editor.js` when source is edited. */
export { mountEditor } from './mount-editor.ts'
