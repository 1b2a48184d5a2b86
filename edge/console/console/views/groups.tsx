import type { View } from '../view.ts'

export const GroupsView: View = () => null
