/**
 * The source editor, `/scripts/editor.js`. Imported by pages with source to edit; built into `script.txt` by
 * `edge/console/build.ts`.
 */
export { mountEditor } from './mount-editor.ts'
