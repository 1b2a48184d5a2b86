import type { ProvidedContext } from 'vitest'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import config from '../vitest.config.ts'

const recorder = process.env['SVC_RECORDER']!

/** Adds the recorders to the projects of the gate, and runs only tests that use databases. */
const FILES = {
  origin: {
    setup: './test/previous-version/origin-setup.ts',
    include: [
      'test/previous-version/record-origin.ts',
      'test/origin/{http,credits,accounts,runs}/**/*.test.ts',
    ],
  },
  edge: {
    setup: './test/edge/previous-version/setup.ts',
    include: [
      'test/edge/previous-version/record.ts',
      'test/edge/{http,identity,queue,chain,triggers}/**/*.test.ts',
    ],
  },
}

type Project = TestProjectInlineConfiguration & {
  test: { name: string; setupFiles?: string[]; provide?: Partial<ProvidedContext> }
}

const isRecorded = (name: string): name is keyof typeof FILES => name in FILES

function recorded(project: Project): Project[] {
  const { name, setupFiles = [], provide = {} } = project.test
  if (!isRecorded(name)) return []
  const { setup, include } = FILES[name]
  const additions = {
    include,
    setupFiles: [...setupFiles, setup],
    provide: { ...provide, recorder },
  }
  return [{ ...project, test: { ...project.test, ...additions } }]
}

export default defineConfig({
  ...config,
  test: { ...config.test, projects: (config.test!.projects as Project[]).flatMap(recorded) },
})
