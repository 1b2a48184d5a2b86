import { useEffect, useRef } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { Editor } from '../../editor/mount-editor.ts'

type SourceEditorProps = {
  /** Initial text of the editor. Later changes of this prop have no effect. */
  source: string
  onChange: (source: string) => void
  /** Called with the plain textarea first, and again with the editor once it has loaded. */
  onMounted: (editor: Pick<Editor, 'setText' | 'goTo' | 'mark'>) => void
}

/**
 * Editor for an action's source. A plain textarea is shown until the editor has loaded, and remains if loading fails.
 */
export const SourceEditor: FC<SourceEditorProps> = ({ source, onChange, onMounted }) => {
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const textarea = area.current!
    textarea.value = source
    let editor: Editor | undefined
    let isGone = false
    onMounted(plainEditor(textarea, onChange))
    import('/scripts/editor.js').then(
      ({ mountEditor }) => {
        if (isGone) return
        editor = mountEditor({ textarea, onChange })
        onMounted(editor)
      },
      () => {},
    )
    return () => {
      isGone = true
      editor?.destroy()
    }
  }, [])
  return (
    <div class="field source">
      <label for="action-source">Source</label>
      <textarea
        id="action-source"
        rows={18}
        spellcheck={false}
        ref={area}
        onInput={(event) => onChange((event.target as HTMLTextAreaElement).value)}
      />
    </div>
  )
}

function plainEditor(textarea: HTMLTextAreaElement, onChange: (source: string) => void) {
  return {
    setText: (text: string) => {
      textarea.value = text
      onChange(text)
    },
    goTo: (line: number, column = 1) => {
      const before = textarea.value.split('\n').slice(0, line - 1)
      const at = before.reduce((sum, { length }) => sum + length + 1, 0) + column - 1
      textarea.focus()
      textarea.setSelectionRange(at, at)
    },
    mark: () => {},
  }
}
