export { mountEditor } from './mount-editor.ts'
