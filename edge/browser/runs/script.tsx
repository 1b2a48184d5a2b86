import { enableCopyButtons } from '../components/copy-on-click.ts'
import { followRun } from './follow-run.tsx'
import { followTrigger } from './follow-trigger.tsx'

enableCopyButtons()

const trigger = document.getElementById('trigger')
if (trigger) followTrigger(trigger.dataset as { trigger: string; kind: string })

const run = document.getElementById('run')
if (run && run.dataset.live !== undefined) followRun(run, run.dataset.run!)
