import { describe } from 'vitest'
import { installed } from './chromium.ts'
import { Walks } from './walks.ts'
import { triggerFormWalks } from './walks/trigger-forms.ts'
import { runWalks } from './walks/runs.ts'
import { docsWalks } from './walks/docs.ts'

describe.skipIf(!installed)('a person who has triggers, in a browser', () => {
  const walks = new Walks()

  triggerFormWalks(walks)
  runWalks(walks)
  docsWalks(walks)
})
