/**
 * Starts building the sandbox template, the slowest step, in another process before loading the other modules (about a
 * second).
 */
import { buildTemplateFile } from './actions/pool/template.ts'

const template = buildTemplateFile()
// The code that awaits the template handles its failure; without this, an early rejection would crash the process.
template.catch(() => {})
const { runOrigin } = await import('./service.ts')
runOrigin(template)
