/**
 * `npm run rehearse`: a whole deployment on this machine, from the image to a restored backup, by the commands of
 * docs/deploy.md and docs/operate.md. Public services are doubles at their public names.
 */
import { hostsFile } from './hosts.ts'
import { rehearsalFolder, runInNamespaces } from './namespace.ts'

const folder = rehearsalFolder()
if (folder === undefined) process.exit(await runInNamespaces(hostsFile()))

const { rehearse } = await import('./rehearse.ts')
const lines: string[] = []
const began = performance.now()
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`
try {
  await rehearse(folder, {
    step: async (name, act) => {
      const startedAt = performance.now()
      const { shown, ...result } = await act()
      console.log(`${name.padEnd(44)} ${seconds(startedAt).padStart(8)}   ${shown}`)
      return result
    },
    onLine: (line) => lines.push(line),
  })
  console.log(`\ndone in ${seconds(began)}`)
  process.exit(0)
} catch (error) {
  console.error(`\nfailed: ${error instanceof Error ? error.stack : String(error)}`)
  console.error(lines.slice(-60).join('\n'))
  process.exit(1)
}
