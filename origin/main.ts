/**
 * Entry point of the origin. Starts building the sandbox template, the slowest step, in another process, and then loads
 * the other modules, which takes about a second.
 */
import { makeTemplateFile } from './actions/pool/template.ts'

const template = makeTemplateFile()
// Whoever awaits the template handles its failure; without this, an early rejection would crash the process.
template.catch(() => {})
const { runOrigin } = await import('./service.ts')
runOrigin(template)
