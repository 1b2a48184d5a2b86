import type { App } from '../../http/app-env.ts'
import { registerFailedRunsPage } from './failed-runs-page.tsx'
import { registerReplayPage } from './replay-page.tsx'
import { registerReplayPreviewPage } from './replay-preview-page.tsx'

export function registerFailedRunPages(app: App): void {
  registerFailedRunsPage(app)
  registerReplayPreviewPage(app)
  registerReplayPage(app)
}
