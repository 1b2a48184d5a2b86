import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const page = read('docs/security.md') + read('docs/security-edge.md')

describe('the security pages', () => {
  const named = [...new Set([...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!))]

  it('name only existing tests', () => {
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('quote only existing test titles', () => {
    const quoted = [...page.matchAll(/`(test\/[^`]+)`\s›\s`([^`]+)`/g)]
    expect(quoted.length).toBeGreaterThan(4)
    const missing = quoted.filter(([, path, name]) => !read(path!).includes(name!))
    expect(missing.map(([, path, name]) => `${path}: ${name}`)).toEqual([])
  })

  it('name a test in every section', () => {
    const sections = page.split(/^## /m).slice(2)
    const bare = sections.filter((text) => !/`test\/[^`]+`/.test(text))
    expect(bare.map((text) => text.split('\n')[0])).toEqual([])
  })
})

describe('the deployment page', () => {
  const deploy = read('docs/deploy.md')

  it('names only existing files and scripts', () => {
    const files = [...deploy.matchAll(/`((?:origin|shared|edge|drizzle)\/[^`\s]+)`/g)]
    expect(files.length).toBeGreaterThan(5)
    expect(files.map(([, path]) => path!).filter((path) => !existsSync(join(root, path)))).toEqual(
      [],
    )
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const run = [...deploy.matchAll(/npm run ([a-z-]+)/g)].map(([, name]) => name!)
    expect(run.filter((name) => !(name in scripts))).toEqual([])
  })

  it('asks for every value that the compose file leaves open', () => {
    const example = JSON.parse(/```json\n([\s\S]+?)```/.exec(deploy)![1]!) as object
    const gaps = [...read('origin/deploy/docker-compose.yaml').matchAll(/^\s+- (\w+)=.*fill-in/gm)]
    const names = gaps.map(([, name]) => name!)
    expect(Object.keys(example).toSorted()).toEqual(['image', ...names].toSorted())
  })
})
