// Lets WebKitWebDriver drive the window: Wails creates its web view without
// asking for automation, so the call that creates it is replaced (LD_PRELOAD).
// Tests only; nothing of it is part of the program.
#include <webkit2/webkit2.h>

static WebKitWebView *view;

static WebKitWebView *on_create(WebKitAutomationSession *session, gpointer data) {
  (void)session;
  (void)data;
  return view;
}

static void on_started(WebKitWebContext *context, WebKitAutomationSession *session, gpointer data) {
  (void)context;
  (void)data;
  WebKitApplicationInfo *info = webkit_application_info_new();
  webkit_application_info_set_name(info, "keepsake");
  webkit_application_info_set_version(info, 1, 0, 0);
  webkit_automation_session_set_application_info(session, info);
  webkit_application_info_unref(info);
  g_signal_connect(session, "create-web-view", G_CALLBACK(on_create), NULL);
}

GtkWidget *webkit_web_view_new_with_user_content_manager(WebKitUserContentManager *manager) {
  WebKitWebContext *context = webkit_web_context_get_default();
  g_signal_connect(context, "automation-started", G_CALLBACK(on_started), NULL);
  webkit_web_context_set_automation_allowed(context, TRUE);
  view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "web-context", context, "user-content-manager", manager,
                      "is-controlled-by-automation", TRUE, NULL);
  return GTK_WIDGET(view);
}
