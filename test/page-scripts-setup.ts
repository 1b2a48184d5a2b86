/** Builds the page scripts, which the Worker imports. Stacks build them with wrangler. */
import { buildScripts } from '../edge/browser/build.ts'
import { forAllProjects } from './doubles/for-all-projects.ts'

export default function setup(): Promise<() => Promise<void>> {
  return forAllProjects('page scripts', async () => {
    await buildScripts()
    return async () => {}
  })
}
