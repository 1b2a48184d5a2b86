/**
 * The source editor. Pages import it from `/scripts/editor.js` when source is edited. `edge/console/build.ts` builds it
 * into `script.txt`.
 */
export { mountEditor } from './mount-editor.ts'
