import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { englishOnly } from '../../shared/packaging/english-only.ts'
import type { Built } from '../../shared/packaging/rebuild-stale.ts'
import { builtExamples, isBuiltExamples } from './built-examples.ts'
import { docsIndex, isDocsIndex } from './docs-index.ts'

/**
 * Modules that the client library imports on demand. They are excluded from bundles, because esbuild would otherwise
 * include them in each page script.
 */
const SERVED_MODULES = [
  { of: /^ethers$/, script: '/scripts/ethers.js' },
  { of: /\/verifier\.ts$/, script: '/scripts/verifier.js' },
  { of: /\/policies\/policy(?:-error)?\.ts$/, script: '/scripts/policies.js' },
]

const externalizeServedModules: Plugin = {
  name: 'Loaded later',
  setup(esbuild) {
    for (const { of, script } of SERVED_MODULES)
      esbuild.onResolve({ filter: of }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: script, external: true } : undefined,
      )
  },
}

/**
 * Preact assigns to `innerHTML` for `dangerouslySetInnerHTML`, which our code does not use. The content security policy
 * forbids the assignment.
 */
const removeHtmlSink: Plugin = {
  name: 'No markup of text',
  setup(esbuild) {
    esbuild.onLoad({ filter: /\/preact\/dist\/preact\.mjs$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { contents: source.replaceAll('.innerHTML', '.textContent'), loader: 'js' }
    })
  },
}

const DECLARATION = 'declaration'

/** Provides the module `action-declarations`: the texts of all files that declare what actions can use. */
const embedDeclarations = (root: string): Plugin => ({
  name: 'Declarations of actions',
  setup(esbuild) {
    const name = 'action-declarations'
    esbuild.onResolve({ filter: /^action-declarations$/ }, () => ({ path: name, namespace: name }))
    esbuild.onLoad({ filter: /^/, namespace: name }, async () => {
      const { collectDeclarations } = await import('./collect-declarations.ts')
      const { paths, imports } = collectDeclarations(root)
      const files = Object.entries(paths)
      const texts = files.map(([, path], i) => `import text${i} from '${DECLARATION}:${path}'`)
      const members = files.map(([virtualPath], i) => `'${virtualPath}': text${i}`)
      return {
        contents: `${texts.join('\n')}
export const actionDeclarations = { files: { ${members.join()} }, imports: ${JSON.stringify(imports)} }`,
      }
    })
    esbuild.onResolve({ filter: /^declaration:/ }, ({ path }) => ({
      path: relative(root, path.slice(DECLARATION.length + 1)),
      namespace: DECLARATION,
    }))
    esbuild.onLoad({ filter: /^/, namespace: DECLARATION }, async ({ path }) => ({
      contents: await readFile(join(root, path), 'utf8'),
      loader: 'text',
    }))
  },
})

/** Provides the module `language-script-version`. The bundle of the language service must have been built before. */
const embedLanguageVersion = (root: string): Plugin => ({
  name: 'Version of the language service',
  setup(esbuild) {
    const path = join(root, 'edge/browser/language/script.txt')
    esbuild.onResolve({ filter: /^language-script-version$/ }, () => ({ path }))
    esbuild.onLoad({ filter: /\/language\/script\.txt$/ }, async () => ({
      contents: `export const languageScriptVersion = '${hash('sha256', await readFile(path))}'`,
      loader: 'js',
    }))
  },
})

/** @param root directory to which the paths in error messages are relative */
export async function bundleScript(
  root: string,
  entryPoint: string,
  format: 'iife' | 'esm',
): Promise<Built> {
  const examples = builtExamples(root)
  const index = docsIndex(root)
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [relative(root, entryPoint)],
    bundle: true,
    write: false,
    metafile: true,
    format,
    platform: 'browser',
    target: 'es2022',
    // The Worker renders some of the same components with hono/jsx, whose types they use.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
    // Modules that browsers import from the Worker at runtime.
    external: ['/scripts/*'],
    loader: { '.css': 'text' },
    define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    logLevel: 'silent',
    plugins: [
      englishOnly,
      externalizeServedModules,
      removeHtmlSink,
      embedDeclarations(root),
      embedLanguageVersion(root),
      examples.plugin,
      index.plugin,
    ],
  })
  return {
    text: `${outputFiles[0]!.text.trim()}\n`,
    // Omits modules that are not files: the empty ones that replace packages for Node, and generated ones.
    inputs: [
      ...Object.keys(metafile.inputs)
        .map((path) => path.replace(`${DECLARATION}:`, ''))
        .filter(
          (path) =>
            !/^(\(disabled\)|action-declarations):/.test(path) &&
            !isBuiltExamples(path) &&
            !isDocsIndex(path),
        ),
      ...new Set([...examples.inputs, ...index.inputs]),
    ],
  }
}
