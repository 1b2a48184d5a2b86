/** `/scripts/editor.js`: what a script imports when a page has source to write. `edge/console/build.ts` makes `script.txt` of it. */
export { mountEditor } from './mount-editor.ts'
