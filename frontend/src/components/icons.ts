// The icons the page uses, by name: what is not listed is not shipped.
import ArrowLeft from '@lucide/svelte/icons/arrow-left';
import ArrowLeftRight from '@lucide/svelte/icons/arrow-left-right';
import ArrowRight from '@lucide/svelte/icons/arrow-right';
import AtSign from '@lucide/svelte/icons/at-sign';
import Bot from '@lucide/svelte/icons/bot';
import BookOpen from '@lucide/svelte/icons/book-open';
import ChartColumn from '@lucide/svelte/icons/chart-column';
import Minus from '@lucide/svelte/icons/minus';
import Waypoints from '@lucide/svelte/icons/waypoints';
import Brain from '@lucide/svelte/icons/brain';
import Check from '@lucide/svelte/icons/check';
import ChevronDown from '@lucide/svelte/icons/chevron-down';
import ChevronLeft from '@lucide/svelte/icons/chevron-left';
import ChevronRight from '@lucide/svelte/icons/chevron-right';
import ChevronUp from '@lucide/svelte/icons/chevron-up';
import CircleAlert from '@lucide/svelte/icons/circle-alert';
import CircleCheck from '@lucide/svelte/icons/circle-check';
import CircleX from '@lucide/svelte/icons/circle-x';
import Cloud from '@lucide/svelte/icons/cloud';
import CloudOff from '@lucide/svelte/icons/cloud-off';
import Copy from '@lucide/svelte/icons/copy';
import Download from '@lucide/svelte/icons/download';
import Ellipsis from '@lucide/svelte/icons/ellipsis';
import ExternalLink from '@lucide/svelte/icons/external-link';
import Eye from '@lucide/svelte/icons/eye';
import EyeOff from '@lucide/svelte/icons/eye-off';
import File from '@lucide/svelte/icons/file';
import FileArchive from '@lucide/svelte/icons/file-archive';
import FileText from '@lucide/svelte/icons/file-text';
import Flag from '@lucide/svelte/icons/flag';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import GitBranch from '@lucide/svelte/icons/git-branch';
import Heart from '@lucide/svelte/icons/heart';
import History from '@lucide/svelte/icons/history';
import Image from '@lucide/svelte/icons/image';
import Inbox from '@lucide/svelte/icons/inbox';
import Info from '@lucide/svelte/icons/info';
import Key from '@lucide/svelte/icons/key-round';
import Keyboard from '@lucide/svelte/icons/keyboard';
import Library from '@lucide/svelte/icons/library';
import Link from '@lucide/svelte/icons/link';
import ListChecks from '@lucide/svelte/icons/list-checks';
import Lock from '@lucide/svelte/icons/lock';
import LockOpen from '@lucide/svelte/icons/lock-open';
import MapPin from '@lucide/svelte/icons/map-pin';
import MessageSquareText from '@lucide/svelte/icons/message-square-text';
import MessagesSquare from '@lucide/svelte/icons/messages-square';
import Monitor from '@lucide/svelte/icons/monitor';
import Moon from '@lucide/svelte/icons/moon';
import Package from '@lucide/svelte/icons/package';
import Paperclip from '@lucide/svelte/icons/paperclip';
import Pause from '@lucide/svelte/icons/pause';
import Pencil from '@lucide/svelte/icons/pencil';
import Play from '@lucide/svelte/icons/play';
import Plus from '@lucide/svelte/icons/plus';
import Printer from '@lucide/svelte/icons/printer';
import Quote from '@lucide/svelte/icons/quote';
import Redo from '@lucide/svelte/icons/redo-2';
import Rows2 from '@lucide/svelte/icons/rows-2';
import Rows3 from '@lucide/svelte/icons/rows-3';
import Save from '@lucide/svelte/icons/save';
import Scroll from '@lucide/svelte/icons/scroll-text';
import Search from '@lucide/svelte/icons/search';
import Send from '@lucide/svelte/icons/send';
import Settings from '@lucide/svelte/icons/settings';
import Settings2 from '@lucide/svelte/icons/settings-2';
import Shield from '@lucide/svelte/icons/shield';
import ShieldCheck from '@lucide/svelte/icons/shield-check';
import ShieldX from '@lucide/svelte/icons/shield-x';
import ShieldQuestion from '@lucide/svelte/icons/shield-question-mark';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import Snowflake from '@lucide/svelte/icons/snowflake';
import Sparkles from '@lucide/svelte/icons/sparkles';
import Stamp from '@lucide/svelte/icons/stamp';
import Sun from '@lucide/svelte/icons/sun';
import Tag from '@lucide/svelte/icons/tag';
import Target from '@lucide/svelte/icons/target';
import Trash from '@lucide/svelte/icons/trash-2';
import ThumbsDown from '@lucide/svelte/icons/thumbs-down';
import ThumbsUp from '@lucide/svelte/icons/thumbs-up';
import TriangleAlert from '@lucide/svelte/icons/triangle-alert';
import Undo from '@lucide/svelte/icons/undo-2';
import Upload from '@lucide/svelte/icons/upload';
import User from '@lucide/svelte/icons/user-round';
import Users from '@lucide/svelte/icons/users-round';
import Wrench from '@lucide/svelte/icons/wrench';
import X from '@lucide/svelte/icons/x';

export const icons = {
  'arrow-left': ArrowLeft, 'arrow-left-right': ArrowLeftRight, 'arrow-right': ArrowRight, 'at-sign': AtSign, 'book-open': BookOpen, bot: Bot,
  brain: Brain, 'chart-column': ChartColumn, minus: Minus, waypoints: Waypoints, check: Check, 'chevron-down': ChevronDown, 'chevron-left': ChevronLeft, 'chevron-right': ChevronRight,
  'chevron-up': ChevronUp, 'circle-alert': CircleAlert, 'circle-check': CircleCheck, 'circle-x': CircleX, cloud: Cloud, copy: Copy,
  'cloud-off': CloudOff, download: Download, ellipsis: Ellipsis, 'external-link': ExternalLink, eye: Eye, 'eye-off': EyeOff, file: File,
  'file-archive': FileArchive, 'file-text': FileText, flag: Flag, 'folder-open': FolderOpen, 'git-branch': GitBranch, heart: Heart,
  history: History, image: Image, inbox: Inbox, info: Info, key: Key, keyboard: Keyboard, library: Library, link: Link,
  'list-checks': ListChecks, lock: Lock, 'lock-open': LockOpen, 'map-pin': MapPin, 'message-square-text': MessageSquareText,
  'messages-square': MessagesSquare, monitor: Monitor, moon: Moon, package: Package, paperclip: Paperclip, pause: Pause, pencil: Pencil, play: Play,
  plus: Plus, printer: Printer, quote: Quote, redo: Redo, 'rows-2': Rows2, 'rows-3': Rows3, save: Save, scroll: Scroll, search: Search,
  send: Send, settings: Settings, 'settings-2': Settings2, shield: Shield, 'shield-check': ShieldCheck, 'shield-x': ShieldX, 'shield-question': ShieldQuestion,
  sliders: SlidersHorizontal, snowflake: Snowflake, sparkles: Sparkles, stamp: Stamp, sun: Sun, tag: Tag, target: Target, 'thumbs-down': ThumbsDown,
  'thumbs-up': ThumbsUp, trash: Trash,
  'triangle-alert': TriangleAlert, undo: Undo, upload: Upload, user: User, users: Users, wrench: Wrench, x: X,
};

export type IconName = keyof typeof icons;
