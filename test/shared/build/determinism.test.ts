import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildAction } from '../../../shared/build/build-action.ts'
import { generateProject, installLikeNpm, installLikePnpm } from './generated-projects.ts'
import { installed, project } from './project.ts'

const ENTRY = 'src/action.ts'
const seeds = Array.from({ length: 50 }, (_, n) => n + 1)

describe('the bytes of a built action', () => {
  it.each(seeds)(
    'do not depend on the folder or the package manager (project %i)',
    async (seed) => {
      const generated = generateProject(seed)
      const outside = project({})
      installLikeNpm(generated, join(outside, 'npm'))
      installLikePnpm(generated, join(outside, 'a/b c/größer'))
      symlinkSync(join(outside, 'a/b c/größer'), join(outside, 'link'))
      const minify = seed % 5 === 0
      const one = await buildAction(join(outside, 'npm', ENTRY), { minify })
      const other = await buildAction(join(outside, 'link', ENTRY), { minify })
      expect(other.code).toBe(one.code)
      expect(other.map).toBe(one.map)
      for (const text of [one.code, one.map]) {
        expect(text).not.toContain(outside)
        expect(text).not.toMatch(/node_modules|\.pnpm/)
      }
    },
  )

  it.each([
    [
      'imports with a computed part',
      {
        'src/action.ts': 'export const main = (name: string) => import(`./chains/${name}.ts`)',
        'src/chains/one.ts': 'export default 1',
      },
    ],
    [
      'the positions of JSX elements',
      {
        'src/action.ts': `import { main } from './element.tsx'\nexport { main }`,
        'src/element.tsx': 'export const main = () => <a />',
        'tsconfig.json': '{"compilerOptions":{"jsx":"react-jsxdev","jsxImportSource":"h"}}',
        ...installed('h', { 'jsx-dev-runtime.js': 'export const jsxDEV = (name) => name' }),
      },
    ],
  ])('do not depend on the folder because of %s', async (_what, files) => {
    const folder = project(files)
    for (const minify of [false, true]) {
      const { code } = await buildAction(join(folder, ENTRY), { minify })
      expect(code).not.toContain(folder)
    }
  })

  it('do not depend on optional packages that are installed on some machines only', async () => {
    const lib = (below: string, version: string) => ({
      ...installed(below, { 'index.js': `export { default } from 'lib'` }),
      ...installed(
        `${below}/node_modules/lib`,
        { 'index.js': `import dep from 'dep'\nexport default [dep]` },
        { dependencies: { dep: version }, optionalDependencies: { native: '1' } },
      ),
      ...installed(
        `${below}/node_modules/dep`,
        { 'index.js': `export default '${version}'` },
        { version },
      ),
    })
    const files = {
      [ENTRY]: `import a from 'a'\nimport b from 'b'\nexport const main = () => [a, b]`,
      ...lib('a', '1.0.0'),
      ...lib('b', '2.0.0'),
    }
    const native = installed('native', { 'index.js': '' })
    const [one, other] = await Promise.all(
      [files, { ...files, ...native }].map((of) => buildAction(join(project(of), ENTRY))),
    )
    expect(one!.code).toContain('npm:lib@1.2.3~')
    expect(other!.code).toBe(one!.code)
  })

  it.each(['a"b', 'a\\b', 'a\nb'])('are refused in a folder named %j', async (name) => {
    const folder = project({ [ENTRY]: 'export const main = () => 1' }, name)
    await expect(buildAction(join(folder, ENTRY))).rejects.toThrow('rename the folder')
  })
})
