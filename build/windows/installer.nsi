; The installer for one person, who needs no administrator rights for it. Made by
; scripts/dist-windows.sh, which defines VERSION, ARCH (amd64 or arm64), FROM (the folder of
; the programs), OUT and, for tests, FAST.
;
;   /S            silent; what there is to say goes to the console
;   /D=FOLDER     where to; the last argument, never in quotes
;   /PATH=1       terminals find keepsake-cli
;   /NOWEBVIEW    does not look for WebView2
;   /DOWNGRADE    replaces a newer version without asking
;
; It ends with 0; with 1 or 2 where it was stopped; with 3 where a program that it would
; replace is running; with 4 on another kind of processor; with 5 where the disk has no room;
; with 6 where a newer version or one from the .msi is installed. It uses no network. Vaults
; are in another folder (%LOCALAPPDATA%\Keepsake\vault), which it never touches.
Unicode true
!if ${ARCH} == amd64
  Target amd64-unicode
  !define EDGE_OF_ALL SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate
!else
  ; NSIS has nothing for arm64; Windows runs this as a 32-bit program, whose registry is
  ; that of WOW6432Node.
  Target x86-unicode
  !define EDGE_OF_ALL SOFTWARE\Microsoft\EdgeUpdate
!endif
!define EDGE_OF_ONE Software\Microsoft\EdgeUpdate
!define WEBVIEW "Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"
!define CLASSES Software\Classes
!define APPS Software\Microsoft\Windows\CurrentVersion\Uninstall\Keepsake

Name Keepsake
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir $LOCALAPPDATA\Programs\Keepsake
InstallDirRegKey HKCU ${APPS} InstallLocation
!ifdef FAST
  SetCompress off
!else
  SetCompressor /SOLID lzma
  SetCompressorDictSize 64 ; MB, so that what both programs hold is packed once
!endif
ManifestDPIAware true
BrandingText "Keepsake ${VERSION}"
VIProductVersion ${VERSION}.0
VIAddVersionKey ProductName Keepsake
VIAddVersionKey ProductVersion ${VERSION}
VIAddVersionKey FileVersion ${VERSION}
VIAddVersionKey FileDescription "Keepsake Setup"
VIAddVersionKey LegalCopyright Apache-2.0

!include MUI2.nsh
!include FileFunc.nsh
!include WordFunc.nsh
!include x64.nsh
!define MUI_ICON icon.ico
!define MUI_UNICON icon.ico
!define MUI_COMPONENTSPAGE_NODESC
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
!insertmacro MUI_LANGUAGE PortugueseBR

LangString Programs ${LANG_ENGLISH} "Keepsake and keepsake-cli"
LangString Programs ${LANG_PORTUGUESEBR} "Keepsake e keepsake-cli"
LangString Path ${LANG_ENGLISH} "Let terminals find keepsake-cli (PATH)"
LangString Path ${LANG_PORTUGUESEBR} "Deixar os terminais encontrarem o keepsake-cli (PATH)"
LangString Pam ${LANG_ENGLISH} "Portable AI Memory"
LangString Pam ${LANG_PORTUGUESEBR} "Memória de IA portátil"
LangString Mif ${LANG_ENGLISH} "Memory Interchange Format"
LangString Mif ${LANG_PORTUGUESEBR} "Formato de intercâmbio de memórias"
LangString Running ${LANG_ENGLISH} "Keepsake is running. Close it, then try again; nothing was changed. In use: "
LangString Running ${LANG_PORTUGUESEBR} "O Keepsake está em execução. Feche-o e tente de novo; nada foi alterado. Em uso: "
LangString Processor ${LANG_ENGLISH} "This Keepsake is for computers with an Arm processor. Take the installer for amd64."
LangString Processor ${LANG_PORTUGUESEBR} "Este Keepsake é para computadores com processador Arm. Use o instalador para amd64."
LangString NoRoom ${LANG_ENGLISH} "Keepsake needs $1 MB of room on the disk of $INSTDIR, which has $2. Make room, then try again; nothing was changed."
LangString NoRoom ${LANG_PORTUGUESEBR} "O Keepsake precisa de $1 MB livres no disco de $INSTDIR, que tem $2. Libere espaço e tente de novo; nada foi alterado."
LangString Unwritten ${LANG_ENGLISH} "Not all files could be written to $INSTDIR; the disk may be full. Make room, then try again; nothing was changed."
LangString Unwritten ${LANG_PORTUGUESEBR} "Nem todos os arquivos puderam ser gravados em $INSTDIR; o disco pode estar cheio. Libere espaço e tente de novo; nada foi alterado."
LangString Newer ${LANG_ENGLISH} "Keepsake $1 is installed, which is newer than this ${VERSION}, and a vault that it has written to may not open in an older version."
LangString Newer ${LANG_PORTUGUESEBR} "O Keepsake $1 está instalado e é mais novo que este ${VERSION}; um cofre em que ele escreveu pode não abrir em uma versão mais antiga."
LangString Anyway ${LANG_ENGLISH} "Install the older version all the same?"
LangString Anyway ${LANG_PORTUGUESEBR} "Instalar a versão mais antiga mesmo assim?"
LangString Downgrade ${LANG_ENGLISH} "Nothing was changed; /DOWNGRADE installs the older version all the same."
LangString Downgrade ${LANG_PORTUGUESEBR} "Nada foi alterado; /DOWNGRADE instala a versão mais antiga mesmo assim."
LangString FromMSI ${LANG_ENGLISH} "Keepsake is installed here already, from its .msi. Remove that one first; your vault stays. Nothing was changed."
LangString FromMSI ${LANG_PORTUGUESEBR} "O Keepsake já está instalado aqui, pelo seu .msi. Remova-o antes; o seu cofre fica. Nada foi alterado."
LangString LongPath ${LANG_ENGLISH} "PATH is too long to be changed here. Add this folder to it yourself: "
LangString LongPath ${LANG_PORTUGUESEBR} "O PATH é longo demais para ser alterado aqui. Acrescente esta pasta a ele: "
LangString NoWebView ${LANG_ENGLISH} "Keepsake's window needs Microsoft Edge WebView2, which is missing here. Get it from https://developer.microsoft.com/microsoft-edge/webview2/ (keepsake-cli works without it)."
LangString NoWebView ${LANG_PORTUGUESEBR} "A janela do Keepsake precisa do Microsoft Edge WebView2, que falta aqui. Obtenha-o em https://developer.microsoft.com/microsoft-edge/webview2/ (o keepsake-cli funciona sem ele)."

; Say shows a sentence: in a box, or (/S) on the console or pipe of who started this.
!macro Say text
  ${If} ${Silent}
    System::Call 'kernel32::AttachConsole(i -1)'
    System::Call 'kernel32::GetStdHandle(i -11) p.r0'
    FileWrite $0 "${text}$\r$\n"
  ${Else}
    MessageBox MB_OK|MB_ICONEXCLAMATION "${text}"
  ${EndIf}
!macroend

; Closed ends this with 3 if a program is running: Windows lets nobody write to its file.
!macro Closed program
  ${If} ${FileExists} "$INSTDIR\${program}"
    ClearErrors
    FileOpen $1 "$INSTDIR\${program}" a
    ${If} ${Errors}
      !insertmacro Say "$(Running)$INSTDIR\${program}"
      SetErrorLevel 3
      Quit
    ${EndIf}
    FileClose $1
  ${EndIf}
!macroend

; Unpack writes a file under another name beside it; Replace gives it its own at once.
; Replacing fails only where the program was started meanwhile.
!macro Unpack file
  File "/oname=${file}.new" "${FROM}/${file}"
!macroend
!macro Replace file
  System::Call 'kernel32::MoveFileExW(w "$INSTDIR\${file}.new", w "$INSTDIR\${file}", i 1) i.r0' ; MOVEFILE_REPLACE_EXISTING
  ${If} $0 == 0
    Call Clean
    !insertmacro Say "$(Running)$INSTDIR\${file}"
    SetErrorLevel 3
    Quit
  ${EndIf}
!macroend

; Kind says what a double click does; Offer puts it among "Open with" of an ending and
; leaves the choice alone; Own is for an ending that no other program has.
!macro Kind id name
  WriteRegStr HKCU "${CLASSES}\${id}" "" "${name}"
  WriteRegStr HKCU "${CLASSES}\${id}\DefaultIcon" "" "$INSTDIR\keepsake.exe,0"
  WriteRegStr HKCU "${CLASSES}\${id}\shell\open\command" "" '"$INSTDIR\keepsake.exe" "%1"'
!macroend
!macro Offer ending id
  WriteRegNone HKCU "${CLASSES}\${ending}\OpenWithProgids" ${id}
!macroend
!macro Own ending id
  !insertmacro Offer ${ending} ${id}
  ReadRegStr $0 HKCU "${CLASSES}\${ending}" ""
  ReadRegStr $1 HKLM "${CLASSES}\${ending}" ""
  ${If} $0$1 == ""
    WriteRegStr HKCU "${CLASSES}\${ending}" "" ${id}
  ${EndIf}
!macroend
!macro Forget ending id
  DeleteRegValue HKCU "${CLASSES}\${ending}\OpenWithProgids" ${id}
  ReadRegStr $0 HKCU "${CLASSES}\${ending}" ""
  ${If} $0 == ${id}
    DeleteRegValue HKCU "${CLASSES}\${ending}" ""
  ${EndIf}
  DeleteRegKey /ifempty HKCU "${CLASSES}\${ending}\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "${CLASSES}\${ending}"
  DeleteRegKey HKCU "${CLASSES}\${id}"
!macroend
; Tell has Explorer and new terminals read the registry anew.
!macro Tell
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
!macroend

; Clean takes away what was unpacked, and the folder if nothing else is in it.
Function Clean
  SetOutPath $TEMP ; a folder that is the current one stays
  Delete $INSTDIR\keepsake.exe.new
  Delete $INSTDIR\keepsake-cli.exe.new
  Delete $INSTDIR\LICENSE.new
  Delete $INSTDIR\uninstall.exe.new
  RMDir $INSTDIR
FunctionEnd

Section "$(Programs)" programs
  SectionIn RO
  !insertmacro Closed keepsake.exe
  !insertmacro Closed keepsake-cli.exe
  SetOutPath $INSTDIR
  ; Where a disk gets full, File ends all this (.onInstFailed). Asking before spares the wait.
  SectionGetSize ${programs} $1 ; KiB
  IntOp $1 $1 / 512 ; MiB, twice: in $TEMP this unpacks everything first
  System::Call 'kernel32::GetDiskFreeSpaceExW(w "$INSTDIR", *l.r2, p 0, p 0) i.r0'
  System::Int64Op $2 / 1048576
  Pop $2
  ${If} $0 != 0
  ${AndIf} $2 < $1
    Call Clean
    !insertmacro Say "$(NoRoom)"
    SetErrorLevel 5
    Quit
  ${EndIf}
  !insertmacro Unpack keepsake.exe
  !insertmacro Unpack keepsake-cli.exe
  !insertmacro Unpack LICENSE
  ClearErrors
  WriteUninstaller $INSTDIR\uninstall.exe.new
  ${If} ${Errors}
    Abort
  ${EndIf}
  !insertmacro Replace keepsake.exe
  !insertmacro Replace keepsake-cli.exe
  !insertmacro Replace LICENSE
  !insertmacro Replace uninstall.exe
  CreateShortcut $SMPROGRAMS\Keepsake.lnk $INSTDIR\keepsake.exe

  ; Windows knows only the last ending: .pam.json and .mif.json are .json to it.
  !insertmacro Kind Keepsake.PAM "$(Pam)"
  !insertmacro Kind Keepsake.MIF "$(Mif)"
  !insertmacro Offer .json Keepsake.PAM
  !insertmacro Offer .zip Keepsake.PAM
  !insertmacro Own .pam Keepsake.PAM
  !insertmacro Own .mif Keepsake.MIF

  WriteRegStr HKCU ${APPS} DisplayName Keepsake
  WriteRegStr HKCU ${APPS} DisplayVersion ${VERSION}
  WriteRegStr HKCU ${APPS} Publisher Keepsake
  WriteRegStr HKCU ${APPS} DisplayIcon $INSTDIR\keepsake.exe
  WriteRegStr HKCU ${APPS} InstallLocation $INSTDIR
  WriteRegStr HKCU ${APPS} UninstallString '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU ${APPS} QuietUninstallString '"$INSTDIR\uninstall.exe" /S'
  SectionGetSize ${programs} $0
  WriteRegDWORD HKCU ${APPS} EstimatedSize $0
  WriteRegDWORD HKCU ${APPS} NoModify 1
  WriteRegDWORD HKCU ${APPS} NoRepair 1
  !insertmacro Tell
SectionEnd

Section /o "$(Path)" path
  ; What is longer than a string of NSIS (1,024) it reads as empty: written back, that would
  ; lose the person's PATH. 700 characters leave room for this folder.
  System::Call 'advapi32::RegGetValueW(p -2147483647, w "Environment", w "Path", i 0x1000ffff, p 0, p 0, *i 0 r1)'
  ${If} $1 > 1400
    !insertmacro Say "$(LongPath)$INSTDIR"
  ${Else}
    ReadRegStr $1 HKCU Environment Path
    ${WordAdd} $1 ";" "+$INSTDIR" $1
    WriteRegExpandStr HKCU Environment Path $1
    !insertmacro Tell
  ${EndIf}
SectionEnd

Function .onInstFailed
  Call Clean
  !insertmacro Say "$(Unwritten)"
  SetErrorLevel 5
FunctionEnd

Function .onInit
!if ${ARCH} == arm64
  ${IfNot} ${IsNativeARM64}
    !insertmacro Say "$(Processor)"
    SetErrorLevel 4
    Quit
  ${EndIf}
!endif
  ReadRegStr $1 HKCU Software\Keepsake Folder ; build/windows/keepsake.wxs
  ${If} $1 != ""
    !insertmacro Say "$(FromMSI)"
    SetErrorLevel 6
    Quit
  ${EndIf}
  ${GetParameters} $2
  ReadRegStr $1 HKCU ${APPS} DisplayVersion
  ${VersionCompare} "$1" ${VERSION} $3
  ClearErrors
  ${GetOptions} $2 /DOWNGRADE $4
  ${If} ${Errors}
  ${AndIf} $3 == 1 ; what is installed is newer
    SetErrorLevel 6
    ${If} ${Silent}
      !insertmacro Say "$(Newer) $(Downgrade)"
      Quit
    ${EndIf}
    MessageBox MB_YESNO|MB_ICONEXCLAMATION|MB_DEFBUTTON2 "$(Newer) $(Anyway)" IDYES +2
      Quit
    SetErrorLevel 0
  ${EndIf}
  ${GetOptions} $2 /PATH= $1
  ${If} $1 == 1
    SectionSetFlags ${path} ${SF_SELECTED}
  ${EndIf}
  ClearErrors
  ${GetOptions} $2 /NOWEBVIEW $1
  ${If} ${Errors}
    ReadRegStr $1 HKLM "${EDGE_OF_ALL}\${WEBVIEW}" pv
    ${If} $1 == ""
    ${OrIf} $1 == 0.0.0.0
      ReadRegStr $1 HKCU "${EDGE_OF_ONE}\${WEBVIEW}" pv
    ${EndIf}
    ${If} $1 == ""
    ${OrIf} $1 == 0.0.0.0
      !insertmacro Say "$(NoWebView)"
    ${EndIf}
  ${EndIf}
FunctionEnd

Section un.Keepsake
  !insertmacro Closed keepsake.exe
  !insertmacro Closed keepsake-cli.exe
  ; Only what was installed; the folder goes if nothing else is in it.
  Delete $INSTDIR\keepsake.exe
  Delete $INSTDIR\keepsake-cli.exe
  Delete $INSTDIR\LICENSE
  Delete $INSTDIR\uninstall.exe
  RMDir $INSTDIR
  Delete $SMPROGRAMS\Keepsake.lnk

  !insertmacro Forget .json Keepsake.PAM
  !insertmacro Forget .zip Keepsake.PAM
  !insertmacro Forget .pam Keepsake.PAM
  !insertmacro Forget .mif Keepsake.MIF
  ReadRegStr $1 HKCU Environment Path
  ${WordAdd} $1 ";" "-$INSTDIR" $2
  ${If} $2 == ""
    ${If} $1 != ""
      DeleteRegValue HKCU Environment Path
    ${EndIf}
  ${ElseIf} $2 != $1
    WriteRegExpandStr HKCU Environment Path $2
  ${EndIf}
  DeleteRegKey HKCU ${APPS}
  !insertmacro Tell
SectionEnd
