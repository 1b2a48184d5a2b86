import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('deploys, upgrades and restores everything on this machine', () => {
  const output = execFileSync('npm', ['run', '-s', 'rehearse'], { cwd: root, encoding: 'utf8' })
  console.info(output)
  expect(output).toMatch(/^done in /m)
})
