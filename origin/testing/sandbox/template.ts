import { engineBytes } from '../../actions/engine/engine-module.ts'
import { readGuestSources } from '../../actions/engine/guest-sources.ts'
import { buildTemplate, type Template } from '../../actions/engine/template.ts'

/** Builds the template. In the package, `packed-template.ts` replaces this module. */
export async function loadTemplate(): Promise<Template> {
  // With a fixed clock, the same sources always give the same bytes.
  return buildTemplate(engineBytes(), readGuestSources(), () => 0)
}
