import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { EVENTS } from '../../edge/log-events.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const sources = (side: string) =>
  readdirSync(join(root, side), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && file !== 'log-events.ts')
    .map((file) => ({ file: join(side, file), text: readFileSync(join(root, side, file), 'utf8') }))

it('every event that the edge logs has a level, and every level has an event', () => {
  // Browser code does not log, and the actions that it suggests use their own console.
  const ofWorker = sources('edge').filter(({ file }) => !file.startsWith('edge/browser/'))
  const logged = ofWorker.flatMap(({ text }) =>
    [...text.matchAll(/(?:\blog|#log|logEvent)\(\s*(?:\w+(?:\.\w+)*,\s*)?'([a-z_.-]+)'/g)].map(
      ([, event]) => event!,
    ),
  )
  expect(logged.filter((event) => !(event in EVENTS))).toEqual([])
  // The client of chain nodes, which the edge and the origin use, has events too.
  const named = [...sources('edge'), ...sources('shared/rpc')].map(({ text }) => text).join('\n')
  expect(Object.keys(EVENTS).filter((event) => !named.includes(`'${event}'`))).toEqual([])
})

it('only the log and the local mailbox write to the console in the edge', () => {
  const own = ['edge/log.ts', 'edge/identity/choose-mailer.ts']
  const writers = sources('edge').filter(
    ({ file, text }) =>
      // The preflight is a command.
      !/^edge\/(browser|preflight)\//.test(file) &&
      /\bconsole(\.(log|info|warn|error|debug)\b|\[)/.test(text),
  )
  expect(writers.map(({ file }) => file).toSorted()).toEqual(own.toSorted())
})
